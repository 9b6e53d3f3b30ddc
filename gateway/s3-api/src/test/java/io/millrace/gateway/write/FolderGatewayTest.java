package io.millrace.gateway.write;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.gateway.read.FolderOriginFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests that share a folder as the origin, and one gateway in front of it, which the subclass starts. */
@ExtendWith(BufferLeakExtension.class)
abstract class FolderGatewayTest {
    @SuppressWarnings("NullAway.Init")
    static TestGateway gateway;

    @SuppressWarnings("NullAway.Init")
    static FolderOriginFixture origin;

    @BeforeAll
    static void openFolder(@TempDir Path folder) {
        origin = FolderOriginFixture.at(folder);
    }

    @AfterAll
    static void stop() {
        gateway.close();
        origin.close();
    }

    static RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }
}
