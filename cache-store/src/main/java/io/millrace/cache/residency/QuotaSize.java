package io.millrace.cache.residency;

import io.millrace.config.DataSize;
import io.millrace.config.ValueForm;
import java.util.regex.Pattern;

/**
 * The size of a quota: a percentage of the cache, or bytes.
 *
 * @param percent of the room of all disks, more than 0 to 100; 0 if the quota is in bytes
 * @param bytes 0 if the quota is a percentage
 */
@ValueForm("a percentage of the cache, as 25%, or a size with its unit, as 200GiB")
public record QuotaSize(double percent, long bytes) {
    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,6})?)%");

    /** @throws IllegalArgumentException if it is nothing, or more than all */
    public QuotaSize {
        boolean isPart = percent > 0 && percent <= 100 && bytes == 0;
        if (!isPart && (percent != 0 || bytes <= 0)) {
            throw new IllegalArgumentException("is no quota: write more than nothing, and no more than all");
        }
    }

    /**
     * Parses a quota as operators write it: {@code 25%} or {@code 200GiB}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static QuotaSize parse(String text) {
        var percent = PERCENT.matcher(text.strip());
        return percent.matches()
                ? new QuotaSize(Double.parseDouble(percent.group(1)), 0)
                : new QuotaSize(0, DataSize.parse(text.strip()).bytes());
    }

    /** Returns the quota in bytes for a cache of this size. */
    public long of(long room) {
        return percent > 0 ? (long) (room * percent / 100) : bytes;
    }
}
