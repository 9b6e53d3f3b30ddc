package io.millrace.gateway.app;

import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.command.MillraceApplication;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;

/** The main class of a process that runs the program, and kills one of its event loops as soon as it serves. */
final class DyingMillrace {
    private DyingMillrace() {}

    /** Takes the arguments of the program, and its control port from the environment. */
    public static void main(String[] args) {
        int adminPort = Integer.parseInt(System.getenv("MILLRACE_ADMIN_PORT"));
        Thread killer = new Thread(() -> killWhenHealthy(adminPort), "killer");
        killer.setDaemon(true);
        killer.start();
        MillraceApplication.main(args);
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
