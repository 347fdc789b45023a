export { createGrpcLane, type GrpcLane, type GrpcLaneOptions } from './lane.ts';
export { statusOf } from './status.ts';
