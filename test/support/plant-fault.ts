/** Loaded before the service (`node --import`): on SIGUSR2 it throws an uncaught error of the kind named by PLANTED_FAULT. */
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
