package io.millrace.gateway.objects.bucket;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;

/**
 * The prices of reads of a backend, in a currency of the operator's choice.
 *
 * @param egressPerGb the price of 1,000,000,000 bytes
 * @param perThousandRequests the price of 1,000 requests
 */
public record PriceSettings(
        @SettingDescription(
                value = "The price of a GB (1000³ bytes) read from the backend, in any currency, the same for all"
                        + " prices.",
                defaultValue = "0",
                example = "0.09")
        double egressPerGb,

        @SettingDescription(value = "The price of 1,000 GET or HEAD requests.", defaultValue = "0", example = "0.0004")
        double perThousandRequests) {
    /** No prices. */
    static final PriceSettings FREE = new PriceSettings(0, 0);

    /** @throws IllegalArgumentException if a price is negative */
    public PriceSettings {
        requirePrice("egress-per-gb", egressPerGb);
        requirePrice("per-thousand-requests", perThousandRequests);
    }

    private static void requirePrice(String key, double price) {
        if (price < 0) {
            throw new RefusedSettingException(key, "is below 0", "write what is paid, or leave it out");
        }
    }

    double cost(long requests, long bytes) {
        return bytes / 1e9 * egressPerGb + requests / 1e3 * perThousandRequests;
    }

    boolean isFree() {
        return egressPerGb == 0 && perThousandRequests == 0;
    }
}
