package io.millrace.gateway.agreement;

import java.io.ObjectInputFilter;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ratis.util.ExitUtils;
import org.jspecify.annotations.Nullable;

/**
 * The part of this process that Ratis would change, and must not, or leaves open: it is called before the first use of
 * Ratis.
 */
final class RatisProcess {
    private static final String NETTY = "org.apache.ratis.thirdparty.io.netty.";

    /** Read when its classes load. Its arenas for buffers would be one a core, and there are few buffers. */
    private static final Map<String, String> PROPERTIES = Map.of(
            NETTY + "transport.noNative", "true",
            NETTY + "allocator.numDirectArenas", "1",
            NETTY + "allocator.numHeapArenas", "1",
            NETTY + "allocator.maxOrder", "5");

    /** Held, or the level would go with it. */
    private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

    /** Its messages have exceptions and stack traces as serialized objects; nothing else here reads any. */
    private static final String READABLE = "java.base/*;java.management/*;java.rmi/*;org.apache.ratis.**;!*";

    private static boolean isPrepared;

    private RatisProcess() {}

    static synchronized void prepare() {
        if (isPrepared) {
            return;
        }
        PROPERTIES.forEach((name, value) -> {
            if (System.getProperty(name) == null) {
                System.setProperty(name, value);
            }
        });
        GRPC.setLevel(Level.WARNING);
        if (ObjectInputFilter.Config.getSerialFilter() == null) {
            ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter(READABLE));
        }
        keepFromExiting();
        isPrepared = true;
    }

    /** Its first use makes every uncaught exception of the process the end of it, and so is a port in use. */
    private static void keepFromExiting() {
        Thread.@Nullable UncaughtExceptionHandler ours = Thread.getDefaultUncaughtExceptionHandler();
        ExitUtils.disableSystemExit();
        ExitUtils.setTerminateOnUncaughtException(false);
        Thread.setDefaultUncaughtExceptionHandler(ours);
    }
}
