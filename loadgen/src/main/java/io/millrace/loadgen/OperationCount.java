package io.millrace.loadgen;

/**
 * A number of operations: absolute ({@code 50000}), or a multiple of the number of objects ({@code 2x}).
 *
 * @param number the number, at least 1
 * @param perObject whether it is a multiple of the number of objects
 */
record OperationCount(long number, boolean perObject) {
    /**
     * Parses a count.
     *
     * @throws IllegalArgumentException if {@code text} is none
     */
    public static OperationCount parse(String text) {
        boolean perObject = text.endsWith("x");
        String digits = perObject ? text.substring(0, text.length() - 1) : text;
        if (!digits.matches("[1-9][0-9]{0,14}")) {
            throw new IllegalArgumentException("is not a number of operations, as 50000 or 2x");
        }
        return new OperationCount(Long.parseLong(digits), perObject);
    }

    /** Returns the number of operations on a catalog of {@code objects} objects. */
    long operations(long objects) {
        return perObject ? Math.multiplyExact(number, objects) : number;
    }

    @Override
    public String toString() {
        return perObject ? number + "x" : Long.toString(number);
    }
}
