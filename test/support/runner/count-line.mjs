// The line that closes every test run, read by machines.

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** `N passed, N failed`, and the skipped when there are any. @param {Counts} counts @returns {string} */
export function countLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
