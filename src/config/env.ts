/** The environment. It is read nowhere else. */
export interface Environment {
  /** CONFIG: the YAML file. */
  configFile: string | undefined;
  /** PORT */
  port: string | undefined;
  /** DATABASE_URL */
  databaseUrl: string | undefined;
  /** DATA_DIR */
  dataDir: string | undefined;
  /** OPERATOR_TOKEN */
  operatorToken: string | undefined;
  /** LOG_LEVEL */
  logLevel: string | undefined;
  /** A provider's key, from the variable named in the configuration. */
  read(name: string): string | undefined;
}

/** An empty variable counts as unset. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const read = (name: string) => variables[name] || undefined;
  return {
    configFile: read('CONFIG'),
    port: read('PORT'),
    databaseUrl: read('DATABASE_URL'),
    dataDir: read('DATA_DIR'),
    operatorToken: read('OPERATOR_TOKEN'),
    logLevel: read('LOG_LEVEL'),
    read,
  };
}
