#include "queries.h"

#include <string.h>

enum { OSC = ']', DCS = 'P', APC = '_', DIGITS_MAX = 5 };

struct text {
  const uint8_t *at;
  size_t length;
};

static bool begins_with(struct text text, const char *start) {
  return text.length >= strlen(start) && memcmp(text.at, start, strlen(start)) == 0;
}

static bool contains(struct text text, const char *part) {
  return text.length > 0 && memmem(text.at, text.length, part, strlen(part)) != NULL;
}

/* Window reports: state, position, sizes, labels. 22 and 23 keep and restore a title. */
static bool asks_for_window(const struct csi *csi) {
  int what = csi_number(csi, 0, 0);
  return what == 11 || (what >= 13 && what <= 16) || (what >= 18 && what <= 21);
}

static bool is_plain_query(const struct csi *csi) {
  switch (csi->final) {
    case 'c': return csi->prefix != '?';
    case 'n': return csi->prefix == 0 || csi->prefix == '?';
    case 't': return csi->prefix == 0 && asks_for_window(csi);
    case 'q': return csi->prefix == '>';
    // Kitty's keyboard, xterm's modifier and format keys, its graphics, its settings.
    case 'u': case 'm': case 'g': case 'S': return csi->prefix == '?';
    // DECREQTPARM.
    case 'x': return csi->prefix == 0;
    default: return false;
  }
}

bool csi_is_query(const struct csi *csi) {
  switch (csi->intermediate) {
    case 0: return is_plain_query(csi);
    // DECRQM; DECRQTSR and DECRQPSR.
    case '$': return csi->final == 'p' || csi->final == 'u' || csi->final == 'w';
    // DECRQCRA.
    case '*': return csi->final == 'y';
    // DECRQUPSS.
    case '&': return csi->final == 'u';
    // DECRQLP.
    case '\'': return csi->final == '|';
    // XTREPORTSGR and XTREPORTCOLORS.
    case '#': return csi->final == '|' || csi->final == 'R';
    default: return false;
  }
}

/* The number before the first semicolon, -1 where there is none; `*rest` is what follows. */
static int osc_number(struct text text, struct text *rest) {
  int number = 0;
  size_t i = 0;
  for (; i < text.length && i < DIGITS_MAX && text.at[i] >= '0' && text.at[i] <= '9'; i++)
    number = number * 10 + (text.at[i] - '0');
  if (i == 0 || (i < text.length && text.at[i] != ';')) return -1;
  size_t skipped = i < text.length ? i + 1 : i;
  *rest = (struct text){text.at + skipped, text.length - skipped};
  return number;
}

static bool has_field_that_asks(struct text text) {
  for (size_t i = 0; i < text.length; i++)
    if (text.at[i] == '?' && (i == 0 || text.at[i - 1] == ';')) return true;
  return false;
}

/* Colours, the pointer, the font, the clipboard: all that can be both set and asked for. */
static bool osc_may_ask(int number) {
  bool is_colour = number == 4 || number == 5 || (number >= 10 && number <= 19) || number == 21;
  bool is_asking_only = number == 60 || number == 61;
  return is_colour || is_asking_only || number == 22 || number == 50 || number == 52 || number == 99 ||
         number == 1337 || number == 7501;
}

static bool osc_asks(int number, struct text rest) {
  switch (number) {
    case 21: return contains(rest, "=?");
    case 60: case 61: return true;
    case 99: return contains(rest, "p=?");
    case 1337: return begins_with(rest, "Report") || begins_with(rest, "Capabilities");
    case 7501: return rest.length == 1 && rest.at[0] == '?';
    default: return osc_may_ask(number) && has_field_that_asks(rest);
  }
}

/* XTGETTCAP, DECRQSS and XTGETXRES begin with these. */
static bool dcs_asks(struct text text) {
  return begins_with(text, "+q") || begins_with(text, "$q") || begins_with(text, "+Q");
}

/* Kitty's graphics: `G key=value,…;payload`. */
static bool apc_asks(struct text text) {
  const uint8_t *end = text.length > 0 ? memchr(text.at, ';', text.length) : NULL;
  if (end) text.length = (size_t)(end - text.at);
  return begins_with(text, "Ga=q") || (begins_with(text, "G") && contains(text, ",a=q"));
}

bool string_is_query(char kind, const uint8_t *bytes, size_t length) {
  struct text text = {bytes, length}, rest = {0};
  if (kind == DCS) return dcs_asks(text);
  if (kind == APC) return apc_asks(text);
  return kind == OSC && osc_asks(osc_number(text, &rest), rest);
}

bool string_may_be_query(char kind, const uint8_t *bytes, size_t length) {
  struct text text = {bytes, length}, rest = {0};
  if (length == 0) return kind == OSC || kind == DCS || kind == APC;
  if (kind == DCS) return dcs_asks(text) || (length == 1 && (bytes[0] == '+' || bytes[0] == '$'));
  if (kind == APC) return bytes[0] == 'G' && (!memchr(bytes, ';', length) || apc_asks(text));
  if (kind != OSC) return false;
  int number = osc_number(text, &rest);
  bool is_incomplete = number >= 0 && !memchr(bytes, ';', length);
  return is_incomplete || osc_may_ask(number);
}

bool string_is_status_query(char kind, const uint8_t *text, size_t length) {
  return kind == OSC && length == 6 && memcmp(text, "7501;?", 6) == 0;
}
