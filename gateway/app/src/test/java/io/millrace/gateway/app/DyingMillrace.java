package io.millrace.gateway.app;

import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.command.MillraceApplication;
import io.millrace.kit.async.DaemonThreads;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The main class of a process that runs the program, and kills one of its threads as soon as it serves. */
final class DyingMillrace {
    /** Variable with the name of a thread that dies; without it, an event loop does. */
    static final String THREAD = "DYING_THREAD";

    private DyingMillrace() {}

    /** Takes the arguments of the program, and its control port from the environment. */
    public static void main(String[] args) {
        int adminPort = Integer.parseInt(System.getenv("MILLRACE_ADMIN_PORT"));
        String thread = System.getenv(THREAD);
        if (thread == null) {
            DaemonThreads.start("killer", () -> killWhenHealthy(adminPort));
        } else {
            DaemonThreads.start(thread, DyingMillrace::dieWhenWatched);
        }
        MillraceApplication.main(args);
    }

    /** Looks by itself, as {@link Polling} would put another handler in the place of the program's. */
    private static void dieWhenWatched() {
        for (int i = 0; i < 6000 && Thread.getDefaultUncaughtExceptionHandler() == null; i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        throw new StackOverflowError("of a test");
    }

    private static void killWhenHealthy(int adminPort) {
        Polling.until("it serves", () -> MillraceProcess.isHealthy(adminPort));
        EventExecutor loop = HttpConnectionPool.allLoops().iterator().next();
        try {
            DyingEventLoop.kill(loop);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
