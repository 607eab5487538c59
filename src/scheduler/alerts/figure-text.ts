// Figures as people read them. Pure.

/** `1 send`, `1 204 sends`: thousands are set apart by a space that does not break. */
export function plural(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, '\u00A0');

/** `0.4 s`, `38 s`, `12 min`, `3 h`, `2 d`: the largest unit of which there are two, except for seconds. */
export function seconds(ms: number): string {
  const s = ms / 1_000;
  if (s < 10) return `${Math.round(s * 10) / 10} s`;
  if (s < 120) return `${Math.round(s)} s`;
  if (s < 7_200) return `${Math.floor(s / 60)} min`;
  return s < 172_800 ? `${Math.floor(s / 3_600)} h` : `${Math.floor(s / 86_400)} d`;
}
