package io.millrace.config.problem;

/** Requirements of the constructors of settings records: the ranges of their numbers. */
public final class SettingRange {
    private static final int LARGEST_PORT = 65_535;

    private SettingRange() {}

    /**
     * Requires a number from {@code least} to {@code most}.
     *
     * @param key the key within the record as the operator writes it
     * @throws RefusedSettingException if it is none
     */
    public static void require(String key, long value, long least, long most) {
        if (value < least || value > most) {
            throw new RefusedSettingException(
                    key,
                    "is not between %d and %d".formatted(least, most),
                    "write a number from %d to %d".formatted(least, most));
        }
    }

    /**
     * Requires a number of 1 or more.
     *
     * @param key the key within the record as the operator writes it
     * @throws RefusedSettingException if it is none
     */
    public static void requirePositive(String key, long value) {
        if (value < 1) {
            throw new RefusedSettingException(key, "is less than 1", "write 1 or more");
        }
    }

    /**
     * Requires the number of a port, or 0 for any free one.
     *
     * @param key the key within the record as the operator writes it
     * @throws RefusedSettingException if it is none
     */
    public static void requirePort(String key, int value) {
        require(key, value, 0, LARGEST_PORT);
    }
}
