const NEEDED = [22, 12] as const;

/** Says which Node is needed before anything that an older one lacks is used. */
function checkNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return;
  throw new Error(`Rollcall needs Node ${NEEDED.join(".")} or newer, and this is ${version}.`);
}

checkNode(process.versions.node);
