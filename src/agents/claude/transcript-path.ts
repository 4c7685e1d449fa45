/** The transcript of a conversation that began in this folder. */
export function transcriptPath(config: string, cwd: string, nativeId: string): string {
  return `${config}/projects/${cwd.replace(/[^A-Za-z0-9]/gu, "-")}/${nativeId}.jsonl`;
}
