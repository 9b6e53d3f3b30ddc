package io.millrace.loadgen;

import io.millrace.loadgen.origin.SyntheticOrigin;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.netty.DisposableServer;

/** Command that runs an S3 endpoint that serves synthetic objects until it is killed. */
@Command(name = "origin", description = "Serve computed objects: the size of /bucket/name/123 is 123 bytes.")
final class OriginCommand implements Callable<Integer> {
    @Option(names = "--address", defaultValue = "127.0.0.1", description = "Where to listen; ${DEFAULT-VALUE}.")
    private String address = "";

    @Option(names = "--port", required = true, description = "Where to listen.")
    private int port;

    @Option(names = "--thinking", defaultValue = "PT0S", description = "Wait before each answer, as PT0.02S.")
    private Duration thinking = Duration.ZERO;

    @Override
    public Integer call() {
        DisposableServer server = new SyntheticOrigin(thinking).listen(address, port);
        server.onDispose().block();
        return 0;
    }
}
