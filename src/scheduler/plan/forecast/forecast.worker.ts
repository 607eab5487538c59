// The forecast in a thread, where there are many groups.
import { makeForecast, type ForecastJob, type MadeForecast } from './make-forecast.js';

export function predict(job: ForecastJob): MadeForecast {
  return makeForecast(job);
}
