/**
 * Loaded in front of the service (`node --import`): SIGUSR2 plants a fault that nothing catches, of the kind that
 * PLANTED_FAULT names.
 */
let planted = 0;
process.on('SIGUSR2', () => {
  planted += 1;
  const error = new Error(`planted fault ${planted}`);
  if (process.env.PLANTED_FAULT === 'rejection') void Promise.reject(error);
  else
    setImmediate(() => {
      throw error;
    });
});
