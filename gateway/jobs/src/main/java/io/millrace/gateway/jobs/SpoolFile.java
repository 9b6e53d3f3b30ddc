package io.millrace.gateway.jobs;

import io.millrace.kit.file.PrivateFile;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A file that is being written, by one thread at a time. */
final class SpoolFile {
    private static final int BUFFER = 8 << 10;

    /** The bytes that are forced to the disk at a time: of a slow one a fraction of a second. */
    private static final long FORCED_AT_ONCE = 16 << 20;

    private final Path path;
    private final FileChannel channel;
    private final DataOutputStream out;

    /** How many of its bytes have been forced to the disk. */
    private long forced;

    private SpoolFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
        this.out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER));
    }

    /** Begins a file; what a kill may have left of one is gone. */
    static SpoolFile begin(Path path) throws IOException {
        FileChannel channel = PrivateFile.open(path);
        channel.truncate(0);
        return new SpoolFile(path, channel);
    }

    Path path() {
        return path;
    }

    FileChannel channel() {
        return channel;
    }

    DataOutputStream out() {
        return out;
    }

    /**
     * Forces what has been written to the disk once it is much, so that the {@link #sync} of a large file does not take
     * long.
     */
    void forceAsItGrows() throws IOException {
        long written = channel.position();
        if (written - forced >= FORCED_AT_ONCE) {
            channel.force(false);
            forced = written;
        }
    }

    /** Forces all of it to the disk. */
    void sync() throws IOException {
        out.flush();
        channel.force(true);
    }
}
