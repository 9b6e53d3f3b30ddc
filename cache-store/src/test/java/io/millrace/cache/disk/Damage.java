package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What happens to the folders of a store while nobody has them open: the process was killed, the machine's power was
 * cut, bytes went bad. Portable: what a power cut takes is taken out of the files.
 */
final class Damage {
    private static final int SECTOR = 512;

    private final Random random;

    Damage(Random random) {
        this.random = random;
    }

    /** The folder as it is now, beside it: what a kill would leave. */
    static void keepAsItIs(Path folder, Path copy) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path from : all.toList()) {
                Path to = copy.resolve(folder.relativize(from).toString());
                if (Files.isDirectory(from)) {
                    Files.createDirectories(to);
                } else {
                    copy(from, to);
                }
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try {
            Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException e) {
            // A file that has just replaced another one: the copy has the one before.
        }
    }

    /** The copy takes the folder's place. */
    static void bringBack(Path copy, Path folder) throws IOException {
        delete(folder);
        Files.move(copy, folder);
    }

    static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /**
     * Another boot of the machine, and of what was written to segments since the last one not all is there: ends are
     * missing, sectors are zeros or hold what was there before, files have lost their names. Markers were forced, and
     * stay.
     */
    void cutPower(Path folder) throws IOException {
        for (Path superblock : files(folder, Superblock.NAME)) {
            String text = Files.readString(superblock);
            Files.writeString(superblock, text.replaceAll("(?m)^boot=.*$", "boot=another-" + random.nextInt()));
        }
        for (Path segment : files(folder, Segment.SUFFIX)) {
            switch (random.nextInt(6)) {
                case 0 -> truncate(segment);
                case 1 -> zero(segment);
                case 2 -> Files.delete(segment);
                default -> {
                    // It had been forced.
                }
            }
        }
    }

    /** Bytes at rest are not what was written: some places of some segments. What is done, in words. */
    String corrupt(Path folder) throws IOException {
        List<Path> segments = files(folder, Segment.SUFFIX);
        StringBuilder done = new StringBuilder();
        for (int places = 1 + random.nextInt(4); places > 0 && !segments.isEmpty(); places--) {
            Path segment = segments.get(random.nextInt(segments.size()));
            Path other = segments.get(random.nextInt(segments.size()));
            switch (random.nextInt(4)) {
                case 0, 1 -> done.append(flip(segment));
                case 2 -> done.append(swap(segment, other));
                default -> done.append(zero(segment));
            }
        }
        return done.toString();
    }

    private String flip(Path segment) throws IOException {
        try (FileChannel file = open(segment)) {
            long at = somewhere(file, 1);
            ByteBuffer one = ByteBuffer.allocate(1);
            if (file.read(one, at) == 1) {
                one.put(0, (byte) (one.get(0) ^ (1 << random.nextInt(8)))).flip();
                file.write(one, at);
            }
            return " flip %s@%d".formatted(segment.getFileName(), at);
        }
    }

    private String swap(Path segment, Path other) throws IOException {
        try (FileChannel one = open(segment);
                FileChannel two = open(other)) {
            int bytes = SECTOR * (1 + random.nextInt(32));
            long atOne = somewhere(one, bytes) / SECTOR * SECTOR;
            long atTwo = somewhere(two, bytes) / SECTOR * SECTOR;
            ByteBuffer of = ByteBuffer.allocate(bytes);
            one.read(of, atOne);
            of.flip();
            ByteBuffer and = ByteBuffer.allocate(of.limit());
            two.read(and, atTwo);
            and.flip();
            one.write(and, atOne);
            two.write(of.limit(and.limit()), atTwo);
            return " swap %s@%d %s@%d".formatted(segment.getFileName(), atOne, other.getFileName(), atTwo);
        }
    }

    private String zero(Path segment) throws IOException {
        try (FileChannel file = open(segment)) {
            int bytes = SECTOR * (1 + random.nextInt(64));
            long at = somewhere(file, bytes) / SECTOR * SECTOR;
            int left = (int) Math.min(bytes, file.size() - at);
            file.write(ByteBuffer.allocate(Math.max(0, left)), at);
            return " zero %s@%d+%d".formatted(segment.getFileName(), at, left);
        }
    }

    private void truncate(Path segment) throws IOException {
        try (FileChannel file = open(segment)) {
            file.truncate(random.nextLong(file.size() + 1));
        }
    }

    private long somewhere(FileChannel file, int bytes) throws IOException {
        return random.nextLong(Math.max(1, file.size() - bytes));
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return new ArrayList<>(all.filter(path -> path.toString().endsWith(ending))
                    .sorted()
                    .toList());
        }
    }
}
