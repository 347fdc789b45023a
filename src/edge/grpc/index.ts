export { createGrpcLane, type GrpcLane, type GrpcLaneOptions } from './lane.ts';
