package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.kit.async.DaemonThreads;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what a gateway does when a thread has died: the connections of an event loop hang, and no request that another
 * loop answers shows it; what another thread did is done by none.
 */
class ThreadWatchTest {
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final ThreadWatch watch = new ThreadWatch(Map.of("the test", loops));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @AfterEach
    void endLoops() throws InterruptedException {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    @Test
    void deathOfOneLoopIsSeen() throws Exception {
        watch.start();

        DyingEventLoop.kill(loops.next());

        assertThat(watch.death().get(1, TimeUnit.MINUTES)).isEqualTo("the test");
        assertThat(loops.isShuttingDown()).as("the other loop ends too").isFalse();
    }

    @Test
    void endOfLoopsDuringAStopIsNoDeath() throws Exception {
        watch.start();
        watch.stop();

        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        // Listeners are called one after the other, so that of the watch was before this one.
        AtomicBoolean called = new AtomicBoolean();
        loops.iterator().next().terminationFuture().addListener(ended -> called.set(true));
        Polling.until("listeners were called", called::get);

        assertThat(watch.death()).isNotDone();
    }

    @Test
    void deathOfAnotherThreadIsSeen() throws Exception {
        watch.start();
        Thread writer = DaemonThreads.create("writer", () -> {
            throw new StackOverflowError("of a test");
        });
        writer.setUncaughtExceptionHandler(watch);

        writer.start();

        assertThat(watch.death().get(1, TimeUnit.MINUTES)).isEqualTo("thread writer");
    }

    @Test
    void failureOfOneTaskIsNoDeath() {
        watch.start();

        watch.uncaughtException(Thread.currentThread(), new IllegalStateException("of a test"));
        watch.uncaughtException(Thread.currentThread(), new OutOfMemoryError("of a test"));

        assertThat(watch.death()).isNotDone();
    }

    @Test
    void errorDuringAStopIsNoDeath() {
        watch.start();
        watch.stop();

        watch.uncaughtException(Thread.currentThread(), new StackOverflowError("of a test"));

        assertThat(watch.death()).isNotDone();
    }

    /** A stop would wait for the dead loop's connections, so the process has to end at once. */
    @Test
    void gatewayThatLosesALoopOfItsClientsIsNotToBeStoppedInOrder() throws Exception {
        try (Gateway gateway = start()) {
            DataPlaneLifecycle clients = ApiServer.context(gateway).getBean(DataPlaneLifecycle.class);

            DyingEventLoop.kill(clients.eventLoops().next());

            assertThat(gateway.awaitStop()).isFalse();
        }
    }

    @Test
    void gatewayThatIsClosedWasStoppedInOrder() throws Exception {
        Gateway gateway = start();

        gateway.close();

        assertThat(gateway.awaitStop()).isTrue();
    }

    private Gateway start() throws Exception {
        Files.createDirectories(folder.resolve("objects/data"));
        return Gateway.start(SettingsLoader.ofText("""
                s3: { address: 127.0.0.1, port: 0 }
                admin: { address: 127.0.0.1, port: 0 }
                data: %1$s/data
                backends: { local: { type: file, path: %1$s/objects } }
                buckets: [ { name: data, backend: local } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                """.formatted(folder), Map.of()));
    }
}
