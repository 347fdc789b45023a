/*
 * The shared limits as Redis scripts, each one atomic. The arithmetic is that of `bucket.ts`, in integers below 2^53, with
 * Redis' own clock, so that nodes whose clocks differ still share one limit. Numbers are written with `%.0f`, because Lua would
 * otherwise round them to 14 digits.
 */

const common = `
local minute = 60000
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function drained(drops, at, rate)
  drops = tonumber(drops or '0')
  local elapsed = now - tonumber(at or now)
  if elapsed <= 0 then return drops end
  return math.max(0, drops - elapsed * rate)
end
local function text(number) return string.format('%.0f', number) end
local function keep(key, requests, tokens, rate, tokenRate)
  redis.call('HSET', key, 'r', text(requests), 't', text(tokens), 'at', text(now))
  redis.call('PEXPIRE', key, text(math.ceil(math.max(requests / rate, tokens / tokenRate)) + 1000))
end
`;

/**
 * KEYS: for each owner its usage, places and streams. ARGV: the lease's id, its duration in ms, 1 for a stream or 2 for a
 * stream's place alone, then for each owner: requests per minute, burst, tokens per minute, burst, places, streams. Returns 1
 * and each owner's drops; or 0, which owner, which limit (1 requests, 2 tokens, 3 places, 4 streams), when to retry and, for
 * the first two, the owner's drops. A refusal changes nothing.
 */
export const admitScript = `${common}
local owners = #KEYS / 3
local requests, tokens = {}, {}
for i = 1, owners do
  local key, places, streams = KEYS[i * 3 - 2], KEYS[i * 3 - 1], KEYS[i * 3]
  local a = 3 + (i - 1) * 6
  local rate, burst = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2])
  local tokenRate, tokenBurst = tonumber(ARGV[a + 3]), tonumber(ARGV[a + 4])
  local kept = redis.call('HMGET', key, 'r', 't', 'at')
  requests[i] = drained(kept[1], kept[3], rate)
  tokens[i] = drained(kept[2], kept[3], tokenRate)
  if ARGV[3] ~= '2' then
    local over = requests[i] + (1 - burst) * minute
    if over > 0 then return {0, i, 1, math.ceil(over / rate), text(requests[i])} end
    over = tokens[i] - tokenBurst * minute
    if over > 0 then return {0, i, 2, math.ceil(over / tokenRate), text(tokens[i])} end
    redis.call('ZREMRANGEBYSCORE', places, '-inf', text(now))
    if redis.call('ZCARD', places) >= tonumber(ARGV[a + 5]) then return {0, i, 3, 1000} end
  end
  if ARGV[3] ~= '0' then
    redis.call('ZREMRANGEBYSCORE', streams, '-inf', text(now))
    if redis.call('ZCARD', streams) >= tonumber(ARGV[a + 6]) then return {0, i, 4, 1000} end
  end
end
local lease = tonumber(ARGV[2])
local answer = {1}
for i = 1, owners do
  local key, places, streams = KEYS[i * 3 - 2], KEYS[i * 3 - 1], KEYS[i * 3]
  local a = 3 + (i - 1) * 6
  if ARGV[3] ~= '2' then
    keep(key, requests[i] + minute, tokens[i], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 3]))
    redis.call('ZADD', places, text(now + lease), ARGV[1])
    redis.call('PEXPIRE', places, ARGV[2])
  end
  if ARGV[3] ~= '0' then
    redis.call('ZADD', streams, text(now + lease), ARGV[1])
    redis.call('PEXPIRE', streams, ARGV[2])
  end
  answer[i * 2] = text(requests[i] + minute)
  answer[i * 2 + 1] = text(tokens[i])
end
return answer
`;

/**
 * KEYS: each owner's usage. ARGV: for each owner requests per minute, how many at once, tokens per minute. Counts one request
 * and returns {1}, or 0, which owner, 1 and when to retry.
 */
export const itemScript = `${common}
local requests, tokens = {}, {}
for i = 1, #KEYS do
  local a = (i - 1) * 3
  local rate, burst, tokenRate = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  local kept = redis.call('HMGET', KEYS[i], 'r', 't', 'at')
  requests[i] = drained(kept[1], kept[3], rate)
  tokens[i] = drained(kept[2], kept[3], tokenRate)
  local over = requests[i] + (1 - burst) * minute
  if over > 0 then return {0, i, 1, math.ceil(over / rate)} end
end
for i = 1, #KEYS do
  local a = (i - 1) * 3
  keep(KEYS[i], requests[i] + minute, tokens[i], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 3]))
end
return {1}
`;

/**
 * KEYS: each owner's usage. ARGV: tokens, negative to give back; 1 to check first whether they fit; then for each owner
 * requests per minute, tokens per minute, token burst. Returns {1}, or 0, which owner, 2, when to retry and the owner's drops.
 */
export const tokensScript = `${common}
local units, ask = tonumber(ARGV[1]), ARGV[2] == '1'
local requests, tokens = {}, {}
for i = 1, #KEYS do
  local a = 2 + (i - 1) * 3
  local rate, tokenRate, burst = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  local kept = redis.call('HMGET', KEYS[i], 'r', 't', 'at')
  requests[i] = drained(kept[1], kept[3], rate)
  tokens[i] = drained(kept[2], kept[3], tokenRate)
  local over = tokens[i] + (math.min(units, burst) - burst) * minute
  if ask and over > 0 then return {0, i, 2, math.ceil(over / tokenRate), text(tokens[i])} end
end
for i = 1, #KEYS do
  local a = 2 + (i - 1) * 3
  keep(KEYS[i], requests[i], math.max(0, tokens[i] + units * minute), tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]))
end
return {1}
`;

/**
 * KEYS: as for `admitScript`. ARGV: for each owner requests per minute, tokens per minute. Returns, for each owner, the drops
 * of requests and of tokens, places and streams. Changes nothing.
 */
export const usageScript = `${common}
local answer = {}
for i = 1, #KEYS / 3 do
  local kept = redis.call('HMGET', KEYS[i * 3 - 2], 'r', 't', 'at')
  answer[i * 4 - 3] = text(drained(kept[1], kept[3], tonumber(ARGV[i * 2 - 1])))
  answer[i * 4 - 2] = text(drained(kept[2], kept[3], tonumber(ARGV[i * 2])))
  answer[i * 4 - 1] = redis.call('ZCOUNT', KEYS[i * 3 - 1], '(' .. text(now), '+inf')
  answer[i * 4] = redis.call('ZCOUNT', KEYS[i * 3], '(' .. text(now), '+inf')
end
return answer
`;

/** KEYS: places and streams. ARGV: the duration in ms, then lease ids. Extends the leases that still exist. */
export const renewScript = `${common}
local untilTime = text(now + tonumber(ARGV[1]))
for i = 1, #KEYS do
  for j = 2, #ARGV do redis.call('ZADD', KEYS[i], 'XX', untilTime, ARGV[j]) end
  redis.call('PEXPIRE', KEYS[i], ARGV[1])
end
return 1
`;

/** KEYS: the nodes. ARGV: this node, and for how long a silent node counts, in ms. Returns how many nodes there are. */
export const presenceScript = `${common}
redis.call('ZADD', KEYS[1], text(now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text(now - tonumber(ARGV[2])))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`;
