const PLACEHOLDER = /\$\{[^}]*\}/;

/** The first `${…}` of a text that nothing fills in, or undefined. A text of several lines may be a script, which may use it. */
export function leftoverPlaceholder(text: string): string | undefined {
  return text.includes('\n') ? undefined : PLACEHOLDER.exec(text)?.[0];
}
