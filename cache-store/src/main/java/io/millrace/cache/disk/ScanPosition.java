package io.millrace.cache.disk;

/**
 * Where a scan of the disks is.
 *
 * @param segment its number, from 0
 * @param line record of the segment, from 0
 */
public record ScanPosition(int segment, int line) {
    public ScanPosition {
        if (segment < 0 || line < 0) {
            throw new IllegalArgumentException("no position of a scan: %d:%d".formatted(segment, line));
        }
    }

    /** Before everything. */
    public static final ScanPosition BEGINNING = new ScanPosition(0, 0);

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static ScanPosition parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("no position of a scan: " + text);
        }
        return new ScanPosition(
                Integer.parseInt(text.substring(0, colon)), Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public String toString() {
        return segment + ":" + line;
    }
}
