package io.millrace.loadgen;

import io.millrace.config.DataSize;
import io.millrace.loadgen.origin.DelayedLink;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that runs a TCP proxy with the delay of a long-distance link until it is killed. */
@Command(name = "link", description = "Pass TCP connections on over a line with a delay.")
final class LinkCommand implements Callable<Integer> {
    @Option(names = "--port", required = true, description = "Where to listen, on 127.0.0.1.")
    private int port;

    @Option(names = "--to", required = true, description = "The port on 127.0.0.1 to pass connections on to.")
    private int target;

    @Option(names = "--round-trip", defaultValue = "PT0.05S", description = "There and back; ${DEFAULT-VALUE}.")
    private Duration roundTrip = Duration.ZERO;

    @Option(
            names = "--window",
            defaultValue = "4MiB",
            description =
                    "What one connection has on the way at most, in each direction, as a TCP window; ${DEFAULT-VALUE}.")
    private String window = "";

    @Override
    public Integer call() throws InterruptedException {
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        InetSocketAddress there = new InetSocketAddress(InetAddress.getLoopbackAddress(), target);
        new DelayedLink(there, roundTrip, DataSize.parse(window).bytes())
                .listen(here)
                .closeFuture()
                .sync();
        return 0;
    }
}
