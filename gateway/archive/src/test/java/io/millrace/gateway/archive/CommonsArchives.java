package io.millrace.gateway.archive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarFile;
import org.apache.commons.compress.archivers.zip.Zip64Mode;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.commons.compress.utils.SeekableInMemoryByteChannel;

/** Archives as commons-compress writes and reads them. */
final class CommonsArchives {
    /** A file in an archive: of a zip with the position of its local header. */
    record Place(String name, long position, long storedSize, long size) {
        static Place of(ArchiveMember member) {
            return new Place(member.name(), member.position(), member.storedSize(), member.size());
        }
    }

    private CommonsArchives() {}

    /** Writes a tar. */
    static byte[] tar(Map<String, byte[]> files, int longNames, boolean hasPaxNames) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream out = new TarArchiveOutputStream(bytes, "UTF-8")) {
            out.setLongFileMode(longNames);
            out.setAddPaxHeadersForNonAsciiNames(hasPaxNames);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                TarArchiveEntry entry = new TarArchiveEntry(file.getKey());
                entry.setSize(file.getValue().length);
                out.putArchiveEntry(entry);
                out.write(file.getValue());
                out.closeArchiveEntry();
            }
        }
        return bytes.toByteArray();
    }

    /** Returns the headers of an entry of a tar. */
    static byte[] header(String name, long size, int bigNumbers) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        // It cannot be closed within an entry, and holds nothing but the array.
        @SuppressWarnings("resource")
        TarArchiveOutputStream out = new TarArchiveOutputStream(bytes, 512, "UTF-8");
        out.setBigNumberMode(bigNumbers);
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(size);
        out.putArchiveEntry(entry);
        out.flush();
        return bytes.toByteArray();
    }

    /** Writes a zip, of which every second file is deflated. */
    static byte[] zip(Map<String, byte[]> files, Zip64Mode zip64) throws IOException {
        SeekableInMemoryByteChannel channel = new SeekableInMemoryByteChannel();
        try (ZipArchiveOutputStream out = new ZipArchiveOutputStream(channel)) {
            out.setUseZip64(zip64);
            int number = 0;
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                ZipArchiveEntry entry = new ZipArchiveEntry(file.getKey());
                entry.setMethod(number % 2 == 0 ? ZipArchiveEntry.STORED : ZipArchiveEntry.DEFLATED);
                out.putArchiveEntry(entry);
                out.write(file.getValue());
                out.closeArchiveEntry();
                number++;
            }
        }
        byte[] bytes = new byte[(int) channel.size()];
        System.arraycopy(channel.array(), 0, bytes, 0, bytes.length);
        return bytes;
    }

    /** Returns the regular files of an archive. */
    static List<Place> files(ArchiveFormat format, byte[] archive) throws IOException {
        return format == ArchiveFormat.TAR ? tarFiles(archive) : zipFiles(archive);
    }

    private static List<Place> tarFiles(byte[] archive) throws IOException {
        List<Place> files = new ArrayList<>();
        try (TarFile tar = new TarFile(archive, "UTF-8")) {
            for (TarArchiveEntry entry : tar.getEntries()) {
                boolean isRegular = List.of((byte) '0', (byte) '7', (byte) 0).contains(entry.getLinkFlag());
                if (isRegular && !entry.isSparse() && !entry.isDirectory()) {
                    files.add(new Place(entry.getName(), entry.getDataOffset(), entry.getSize(), entry.getSize()));
                }
            }
        }
        return files;
    }

    private static List<Place> zipFiles(byte[] archive) throws IOException {
        List<Place> files = new ArrayList<>();
        try (ZipFile zip = ZipFile.builder()
                .setSeekableByteChannel(new SeekableInMemoryByteChannel(archive))
                .setIgnoreLocalFileHeader(true)
                .get()) {
            for (ZipArchiveEntry entry : Collections.list(zip.getEntries())) {
                if (!entry.isDirectory() && !entry.isUnixSymlink()) {
                    files.add(new Place(
                            entry.getName(),
                            entry.getLocalHeaderOffset(),
                            entry.getCompressedSize(),
                            entry.getSize()));
                }
            }
        }
        return files;
    }
}
