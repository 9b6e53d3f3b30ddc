package io.millrace.gateway.objects.savings;

import io.millrace.config.Setting;

/**
 * The prices of reads of a backend, in a currency of the operator's choice.
 *
 * @param gbOut the price of 1,000,000,000 bytes
 * @param thousandGets the price of 1,000 requests
 */
public record PriceSettings(
        @Setting(
                value = "The price of a GB (1000³ bytes) read from the backend, in any currency, the same for all"
                        + " prices.",
                defaultValue = "0",
                example = "0.09")
        double gbOut,

        @Setting(value = "The price of 1,000 GET or HEAD requests.", defaultValue = "0", example = "0.0004")
        double thousandGets) {
    /** No prices. */
    static final PriceSettings FREE = new PriceSettings(0, 0);

    /** @throws IllegalArgumentException if a price is negative */
    public PriceSettings {
        if (gbOut < 0 || thousandGets < 0) {
            throw new IllegalArgumentException("a price is below 0: write what is paid, or leave it out");
        }
    }

    double cost(long requests, long bytes) {
        return bytes / 1e9 * gbOut + requests / 1e3 * thousandGets;
    }

    boolean isFree() {
        return gbOut == 0 && thousandGets == 0;
    }
}
