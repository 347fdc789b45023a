/** What a model is chosen by: the cheapest that can do it, a balance, the best, or the fastest. */
export const routingModes = ['economy', 'balanced', 'quality', 'fast'] as const;

export type RoutingMode = (typeof routingModes)[number];

export function isRoutingMode(text: string): text is RoutingMode {
  return (routingModes as readonly string[]).includes(text);
}
