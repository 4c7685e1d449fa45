/** Words of at least 8 letters; shorter values are never hidden. */
const WORDS = new Set(
  (
    "12345678 123456789 1234567890 administrator anonymous application changeit changeme changeme1 credentials database " +
    "default_password defaultpassword dev-secret developer development disabled environment example example123 guestguest " +
    "insecure keychain letmein123 localhost localhost1 mongodb1 mypassword mysecret mysecretpassword mytoken1 not-a-secret " +
    "not_a_secret optional passw0rd passphrase password password1 password12 password123 placeholder postgres postgresql " +
    "production rabbitmq redacted required rootroot s3cr3t-key secret123 secretkey secrettoken staging1 test-secret " +
    "test-token test1234 testpassword testsecret testtest testtoken topsecret undefined username verysecret your-api-key " +
    "your_api_key yourpassword"
  ).split(" "),
);

/** A word that stands in prose and configuration alike: hiding it everywhere would harm, and it protects nothing. */
export function isCommonWord(value: string): boolean {
  return WORDS.has(value.toLowerCase());
}
