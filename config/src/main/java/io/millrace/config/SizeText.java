package io.millrace.config;

/** Sizes: {@link DataSize} says what they look like, this what to do about one that is none. */
final class SizeText {
    private static final String REMEDY =
            "write a whole number and a unit with nothing between: 64KiB, 1MiB, 20GiB, 1TiB"
                    + " (or kB, MB, GB, TB for 1000s; a number alone is bytes)";

    static final ScalarShape SHAPE = new ScalarShape("size", REMEDY, (text, folder) -> parse(text.strip()));

    private SizeText() {}

    private static DataSize parse(String text) throws Unfit {
        try {
            return DataSize.parse(text);
        } catch (IllegalArgumentException e) {
            throw new Unfit(String.valueOf(e.getMessage()), REMEDY);
        }
    }
}
