package io.millrace.gateway.read;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Files that go into an archive, in their order; others than Millrace write it. */
record TestArchive(Map<String, byte[]> files) {
    /** Returns files of these sizes, whose bytes differ. */
    static TestArchive of(Map<String, Integer> sizes) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        sizes.forEach((name, size) -> {
            byte[] bytes = new byte[size];
            new Random(name.hashCode()).nextBytes(bytes);
            files.put(name, bytes);
        });
        return new TestArchive(files);
    }

    /** Returns small files. */
    static TestArchive of(String... names) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (String name : names) {
            files.put(name, ("content of " + name).getBytes(StandardCharsets.UTF_8));
        }
        return new TestArchive(files);
    }

    byte[] tar() throws IOException {
        return tar(TarArchiveOutputStream.LONGFILE_POSIX);
    }

    /** @param longNames how names are written that the format of 1988 has no place for */
    byte[] tar(int longNames) throws IOException {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(archive, "UTF-8")) {
            tar.setLongFileMode(longNames);
            tar.putArchiveEntry(new TarArchiveEntry("folder/"));
            tar.closeArchiveEntry();
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                TarArchiveEntry entry = new TarArchiveEntry(file.getKey(), true);
                entry.setSize(file.getValue().length);
                tar.putArchiveEntry(entry);
                tar.write(file.getValue());
                tar.closeArchiveEntry();
            }
            tar.putArchiveEntry(new TarArchiveEntry("link", TarConstants.LF_SYMLINK));
            tar.closeArchiveEntry();
        }
        return archive.toByteArray();
    }

    byte[] zip(int method) throws IOException {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(archive)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                ZipEntry entry = new ZipEntry(file.getKey());
                entry.setMethod(method);
                entry.setSize(file.getValue().length);
                CRC32 sum = new CRC32();
                sum.update(file.getValue());
                entry.setCrc(sum.getValue());
                zip.putNextEntry(entry);
                zip.write(file.getValue());
                zip.closeEntry();
            }
        }
        return archive.toByteArray();
    }
}
