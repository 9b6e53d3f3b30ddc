package io.millrace.gateway.archive;

/**
 * Bounds of the parsers and of the index, each for one archive: what is larger is an {@link ArchiveException} of the
 * kind {@link ArchiveException.Kind#TOO_LARGE}, but longer names, which are hidden.
 *
 * @param members the largest number of members; in a zip of all entries
 * @param indexBytes the largest size of an index in bytes; while it is made it takes up to four times as much
 * @param extendedHeaderBytes the largest extended header of a tar (PAX records, or a long name of GNU tar) in bytes
 * @param directoryBytes the largest central directory of a zip in bytes
 * @param nameBytes the longest name of a member in bytes of UTF-8
 */
public record ArchiveLimits(int members, int indexBytes, int extendedHeaderBytes, int directoryBytes, int nameBytes) {
    private static final ArchiveLimits DEFAULTS = new ArchiveLimits(4_000_000, 256 << 20, 1 << 20, 256 << 20, 1024);

    /** Returns the bounds of archives of any key. */
    public static ArchiveLimits defaults() {
        return DEFAULTS;
    }

    /**
     * Returns these bounds for an archive below whose key its members are objects: their names are so short that the
     * joined keys have at most 1,024 bytes.
     *
     * @param keyBytes the length of the archive's key in bytes of UTF-8
     */
    public ArchiveLimits belowKey(int keyBytes) {
        int room = Math.max(0, DEFAULTS.nameBytes - keyBytes - 1);
        return new ArchiveLimits(members, indexBytes, extendedHeaderBytes, directoryBytes, room);
    }
}
