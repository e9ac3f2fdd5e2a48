// How much is sent: what a run begins with, and its bounds, which the server has too.
import type { TrafficRun } from '@/contracts/api';

export type TrafficSettings = { rate: number; size: number; replyRatio: number; dialogMessages: number };

/** Messages a second of each pair: where the slider stops. */
export const rates = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200] as const;
export const sizeMax = 1_048_576;
export const dialogMessagesMax = 1000;
export const estateRateMax = 1000;
export const estateBytesMax = 16 * 1_048_576;

const beginning: TrafficSettings = { rate: 1, size: 256, replyRatio: 0.5, dialogMessages: 50 };

/** Those of the newest run, else a little. */
export function settingsOf(run: TrafficRun | undefined): TrafficSettings {
  const plan = run?.plan;
  return plan === undefined || plan === null
    ? beginning
    : { rate: plan.rate, size: plan.size, replyRatio: plan.reply_ratio, dialogMessages: plan.dialog_messages };
}

/** The place on the slider nearest to a rate. */
export function rateStep(rate: number): number {
  const distances = rates.map((each) => Math.abs(Math.log(each / rate)));
  return distances.indexOf(Math.min(...distances));
}

/** Whether the server would take the numbers that are typed. */
export function isBounded({ size, dialogMessages }: TrafficSettings): boolean {
  const isWithin = (value: number, min: number, max: number) => Number.isInteger(value) && value >= min && value <= max;
  return isWithin(size, 0, sizeMax) && isWithin(dialogMessages, 1, dialogMessagesMax);
}
