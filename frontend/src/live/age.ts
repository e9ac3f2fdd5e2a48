// Ages as people read them: `3 m 12 s`.

export function ageText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor((whole % 86_400) / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  if (days > 0) {
    return `${days} d ${hours} h`;
  }
  if (hours > 0) {
    return `${hours} h ${minutes} m`;
  }
  return minutes > 0 ? `${minutes} m ${whole % 60} s` : `${whole} s`;
}

/** Years of lifetime say nothing: the largest one stands for "never". */
export function remainingText(seconds: number): string {
  const years = seconds / 31_557_600;
  if (seconds <= 0) {
    return 'over';
  }
  return years > 50 ? 'never ends' : ageText(seconds);
}
