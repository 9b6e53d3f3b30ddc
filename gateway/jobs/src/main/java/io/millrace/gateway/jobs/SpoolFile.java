package io.millrace.gateway.jobs;

import io.millrace.kit.file.PrivateFile;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A file that is being written. */
record SpoolFile(Path path, FileChannel channel, DataOutputStream out) {
    private static final int BUFFER = 8 << 10;

    /** Begins a file; what a kill may have left of one is gone. */
    static SpoolFile begin(Path path) throws IOException {
        FileChannel channel = PrivateFile.open(path);
        channel.truncate(0);
        return new SpoolFile(
                path,
                channel,
                new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER)));
    }

    void sync() throws IOException {
        out.flush();
        channel.force(true);
    }
}
