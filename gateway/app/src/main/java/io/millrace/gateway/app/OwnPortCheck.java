package io.millrace.gateway.app;

import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.hub.HubBackendSettings;
import io.millrace.backend.millrace.MillraceBackendSettings;
import io.millrace.backend.s3.S3BackendSettings;
import io.millrace.backend.web.WebBackendSettings;
import io.millrace.config.SettingsVariant;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.gateway.s3.hub.HubSettings;
import io.netty.util.NetUtil;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The check that a backend is no port of this Millrace, as far as its URL tells: by an address of this machine, or the
 * machine's own name. No other name is resolved; under such a one, requests that come back tell.
 */
final class OwnPortCheck {
    private OwnPortCheck() {}

    /**
     * The URL of a backend.
     *
     * @param key the setting that has it
     */
    private record BackendUrl(String key, String text, String host, int port) {
        static BackendUrl of(URI endpoint) {
            int usual = "https".equals(endpoint.getScheme()) ? 443 : 80;
            return new BackendUrl(
                    "endpoint",
                    endpoint.toString(),
                    String.valueOf(endpoint.getHost()),
                    endpoint.getPort() < 0 ? usual : endpoint.getPort());
        }

        static BackendUrl of(WebUrl url) {
            return new BackendUrl("url", url.withoutQuery(), url.host().text(), url.port());
        }
    }

    /**
     * A port of this Millrace.
     *
     * @param key the setting that has its number
     * @param address that it is listened on
     */
    private record OwnPort(String name, String key, String address, int number) {}

    /** Adds a problem if a backend is this Millrace itself. */
    static void run(String name, SettingsVariant typed, MillraceSettings settings, ProblemReporter problems) {
        url(typed)
                .ifPresent(url -> ports(typed, settings)
                        .filter(port -> port.number() == url.port() && isOwn(url.host(), port.address()))
                        .findFirst()
                        .ifPresent(port -> problems.add(
                                "backends.%s.%s".formatted(name, url.key()),
                                url.text(),
                                "is the %s port of this Millrace, which would ask itself without end"
                                        .formatted(port.name()),
                                "write the %s of the server that has the objects, or another %s"
                                        .formatted(url.key(), port.key()))));
    }

    /** Returns the URL of a backend's server; empty if it has none, or a proxy finds the server. */
    private static Optional<BackendUrl> url(SettingsVariant typed) {
        if (typed.settings() instanceof S3BackendSettings s3) {
            return direct(s3.endpoint().map(BackendUrl::of), s3.connections());
        }
        if (typed.settings() instanceof MillraceBackendSettings millrace) {
            return direct(Optional.of(BackendUrl.of(millrace.endpoint())), millrace.connections());
        }
        if (typed.settings() instanceof WebBackendSettings web) {
            return direct(Optional.of(BackendUrl.of(web.url())), web.connections());
        }
        return typed.settings() instanceof HubBackendSettings hub
                ? direct(Optional.of(BackendUrl.of(hub.url())), hub.connections())
                : Optional.empty();
    }

    private static Optional<BackendUrl> direct(Optional<BackendUrl> url, ConnectionSettings connections) {
        return url.filter(reached -> connections.proxy().isEmpty());
    }

    /** Returns the ports whose protocol a backend speaks. */
    private static Stream<OwnPort> ports(SettingsVariant typed, MillraceSettings settings) {
        if (typed.settings() instanceof HubBackendSettings) {
            Optional<HubSettings> hub = settings.hub();
            return hub.stream().map(port -> new OwnPort("Hub", "hub.port", port.address(), port.port()));
        }
        String address = settings.s3().address();
        return Stream.concat(
                Stream.of(new OwnPort("S3", "s3.port", address, settings.s3().port())),
                settings.s3().plainPort().stream().map(port -> new OwnPort("S3", "s3.plain-port", address, port)));
    }

    /** Returns whether a host is this machine at an address that a port listens on. */
    private static boolean isOwn(String host, String listening) {
        try {
            InetAddress bound = InetAddress.getByName(listening);
            return addresses(host).stream().anyMatch(address -> isServedAt(address, bound));
        } catch (UnknownHostException | SocketException e) {
            return false;
        }
    }

    private static boolean isServedAt(InetAddress address, InetAddress bound) {
        if (bound.isAnyLocalAddress()) {
            // 0.0.0.0 is every address of IPv4, and :: every one.
            return bound instanceof Inet6Address || address instanceof Inet4Address;
        }
        return address.equals(bound) || (address.isAnyLocalAddress() && bound.isLoopbackAddress());
    }

    /** Returns the addresses of this machine that a host stands for; none for any other host. */
    private static List<InetAddress> addresses(String host) throws UnknownHostException, SocketException {
        byte @Nullable [] literal = NetUtil.createByteArrayFromIpAddressString(host.replaceAll("[\\[\\]]", ""));
        if (literal != null) {
            InetAddress address = InetAddress.getByAddress(literal);
            return isOfThisMachine(address) ? List.of(address) : List.of();
        }
        List<InetAddress> own = new ArrayList<>();
        if (host.equalsIgnoreCase("localhost")
                || host.equalsIgnoreCase(InetAddress.getLocalHost().getHostName())) {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (isOfThisMachine(address)) {
                    own.add(address);
                }
            }
        }
        return own;
    }

    private static boolean isOfThisMachine(InetAddress address) throws SocketException {
        return address.isLoopbackAddress()
                || address.isAnyLocalAddress()
                || NetworkInterface.getByInetAddress(address) != null;
    }
}
