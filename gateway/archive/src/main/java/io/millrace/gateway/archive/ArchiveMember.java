package io.millrace.gateway.archive;

import java.util.OptionalInt;

/**
 * A regular file in an archive, and its place.
 *
 * @param name its normalised name: components without {@code .} and {@code ..} with slashes between them
 * @param position in a tar the first byte of its data; in a zip that of its local header, from which
 *     {@link ZipLocalHeader} tells where the data begin
 * @param storedSize the bytes of its data in the archive
 * @param size the bytes of its content
 * @param isDeflated whether its data are its content compressed by deflate (RFC 1951); otherwise they are its content
 * @param crc32 the CRC-32 of its content, which a zip has
 */
public record ArchiveMember(
        String name, long position, long storedSize, long size, boolean isDeflated, OptionalInt crc32) {
    /** Returns a member whose data are its content. */
    static ArchiveMember ofTar(String name, long position, long size) {
        return new ArchiveMember(name, position, size, size, false, OptionalInt.empty());
    }
}
