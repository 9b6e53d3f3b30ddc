package io.millrace.backend.spi;

import java.time.Duration;

/**
 * The report of the gateway that a response came from.
 *
 * @param cacheStatus its {@code Cache-Status}, and those of gateways before it; may be empty
 * @param age time since the origin was asked
 */
public record TierResponse(String cacheStatus, Duration age) {}
