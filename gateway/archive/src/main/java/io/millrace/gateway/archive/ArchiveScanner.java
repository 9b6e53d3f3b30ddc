package io.millrace.gateway.archive;

import java.nio.ByteBuffer;

/**
 * A parser of an archive that finds its members in bytes that its driver brings from the place that it wants. It holds
 * no more than an unfinished header (of a zip also 16 bytes for each entry), and never waits.
 *
 * <pre>
 * ArchiveScanner scanner = ArchiveScanner.of(format, size, limits, members);
 * while (!scanner.isDone()) {
 *     long position = scanner.wanted();
 *     scanner.accept(read(position, ...), position);
 * }
 * scanner.verify();
 * </pre>
 *
 * <p>A driver may bring less than is wanted, or more: bytes before {@link #wanted()} are skipped, so that it streams
 * through a tar by bringing all of it in order, or hops from header to header. A zip is wanted from its end: the tail,
 * then the directory. Not thread-safe.
 */
public sealed interface ArchiveScanner permits CollectingScanner {
    /**
     * Returns a scanner of an archive.
     *
     * @param size the archive's size in bytes
     * @param members receives each member as soon as it is known, within {@link #accept}
     * @throws ArchiveException if nothing can be an archive of this format, because it is empty
     */
    static ArchiveScanner of(ArchiveFormat format, long size, ArchiveLimits limits, MemberConsumer members) {
        return format == ArchiveFormat.TAR
                ? new TarScanner(size, limits, members)
                : new ZipDirectoryReader(size, limits, members);
    }

    /** Returns the position of the next byte that is needed; the archive's size if none is. */
    long wanted();

    /**
     * Returns how many bytes from {@link #wanted()} on are needed in a row: what is left of a header of a tar, of the
     * tail of a zip, of its directory. Never beyond the end of the archive; 0 if it is done.
     */
    long wantedLength();

    /**
     * Takes bytes of the archive and finds what is in them. All of them are consumed.
     *
     * @param position the place of the first of them; not behind {@link #wanted()}
     * @throws ArchiveException if the archive cannot be read from there on. Members that were found before are right if
     *     {@link #verify} says so. The scanner is of no other use then.
     * @throws IllegalArgumentException if the bytes begin behind {@link #wanted()}
     */
    void accept(ByteBuffer bytes, long position);

    /** Returns whether the archive was read to its end: at the beginning for an empty tar. */
    boolean isDone();

    /**
     * Checks what only all members together show: those that were found, when it is done or has failed. Takes up to a
     * second, unlike {@link #accept}.
     *
     * @throws ArchiveException if the members of a zip from there on are not right
     */
    void verify();
}
