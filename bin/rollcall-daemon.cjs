"use strict";
// The daemon; `rollcall up` and every live command start it when it is needed.

const path = require("node:path");

const root = path.join(__dirname, "..");
require("node:module").enableCompileCache(path.join(root, "dist", "cache"));
require(path.join(root, "dist", "daemon", "main.cjs")).main(root);
