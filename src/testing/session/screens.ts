import { Screen } from "../../host/screen.ts";

/** A screen of 80 columns that shows this text. */
export async function screenShowing(text: string): Promise<Screen> {
  const screen = new Screen({ cols: 80, rows: 24 });
  await screen.write(Buffer.from(text.replaceAll("\n", "\r\n")));
  return screen;
}
