package io.millrace.gateway.cluster;

import io.millrace.gateway.objects.bucket.BucketView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two gateways with real ports, clients and files. */
class TwoGatewaysOverSocketsTest extends TwoGatewaysContract {
    @TempDir
    Path files;

    private LiveCluster cluster;

    @Override
    @BeforeEach
    void start() throws IOException {
        cluster = new LiveCluster(files, "one", "other");
        super.start();
    }

    @Override
    @AfterEach
    void stop() throws IOException {
        super.stop();
        cluster.close();
    }

    @Override
    TestMember member(String name, String another, Path folder, BucketView bucket, ManualTime time) throws IOException {
        return new SocketMember(cluster, name, folder, bucket, time);
    }

    @Override
    void cut(boolean isCut) {
        cluster.relay("one").cut(isCut);
        cluster.relay("other").cut(isCut);
    }

    /** A quarter of a lease is many of these: a response must come before the next request. */
    @Override
    Duration step() {
        return Duration.ofMillis(20);
    }
}
