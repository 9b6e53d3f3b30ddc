package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests that an operator learns which file of a backend could not be read or written. */
class FileErrorMapperTest {
    private static final ObjectRef OBJECT = new ObjectRef(new BucketName("bucket"), new ObjectKey("a/key"));
    private final IOException ofFile = new FileSystemException("/files/x", null, "Input/output error");
    private final IOException ofOpenFile = new IOException("Input/output error");

    @Test
    void failuresNameTheFile() {
        assertThat(FileErrorMapper.ofRead(ofFile))
                .hasMessage("the file system failed; check the disk: /files/x: Input/output error");
        assertThat(FileErrorMapper.ofRead(ofFile, OBJECT)).hasMessageEndingWith(": /files/x: Input/output error");
        assertThat(FileErrorMapper.ofWrite(ofFile, Path.of("/files")))
                .hasMessageStartingWith("writing failed: /files/x: Input/output error (");
    }

    @Test
    void failureOfAnOpenFileNamesTheObject() {
        assertThat(FileErrorMapper.ofRead(ofOpenFile, OBJECT))
                .hasMessageEndingWith(": " + OBJECT + ": Input/output error")
                .hasMessageContaining("a/key");
    }
}
