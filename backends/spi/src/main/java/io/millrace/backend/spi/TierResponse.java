package io.millrace.backend.spi;

import java.time.Duration;

/**
 * The report of the gateway that a response came from.
 *
 * @param cacheStatus its {@code Cache-Status}, and those of gateways before it; may be empty
 * @param age time since the origin was asked, never less than it is
 */
public record TierResponse(String cacheStatus, Duration age) {
    /**
     * The header of a response to a gateway that tells the age in milliseconds: {@code Age} has whole seconds, and what
     * is rounded at each gateway would add up.
     */
    public static final String AGE_HEADER = "x-millrace-age";
}
