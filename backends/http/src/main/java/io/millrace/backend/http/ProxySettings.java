package io.millrace.backend.http;

import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** The settings of the HTTP proxy through which a backend is reached, by CONNECT. */
record ProxySettings(
        @SettingDescription(
                value = "URL of the proxy: http, a host and a port.",
                example = "http://proxy.example.com:3128")
        URI url,

        @SettingDescription(
                value = "The user at the proxy (basic authentication); password goes with it.",
                example = "millrace")
        Optional<String> username,

        @SettingDescription("The password of username.") Optional<Secret> password,

        @SettingDescription(
                value = "Hosts that are reached without the proxy, as they stand in URLs: names and addresses; *."
                        + " before a name stands for all its subdomains.",
                example = "*.internal.example.com")
        List<HostPattern> except)
        implements SelfValidatingSettings {
    ProxySettings {
        except = List.copyOf(except);
    }

    @Override
    public void check(ProblemReporter problems) {
        boolean more = !(url.getRawPath().isEmpty() || url.getRawPath().equals("/"))
                || url.getRawQuery() != null
                || url.getRawFragment() != null;
        if (!url.getScheme().equalsIgnoreCase("http")) {
            problems.add("url", url, "is not http", "write http://host:port: the tunnel inside has the backend's TLS");
        } else if (url.getPort() < 0 || more) {
            problems.add("url", url, "is not just http://host:port", "write the proxy's host and port, nothing more");
        }
        if (username.isPresent() && password.isEmpty() && !problems.hasProblem("password")) {
            problems.add(
                    "password", "", "is required with username", "add password or password-file, or leave both out");
        } else if (password.isPresent() && username.isEmpty()) {
            problems.add("username", "", "is required with password", "add it, or leave both out");
        }
        if (username.filter(name -> name.indexOf(':') >= 0).isPresent()) {
            problems.add("username", username.get(), "has a colon, which ends a user's name", "take it out");
        }
    }

    /** Returns the proxy's own address, its name not resolved. */
    InetSocketAddress address() {
        return InetSocketAddress.createUnresolved(url.getHost(), url.getPort());
    }

    /** Returns whether connections to this host, as its URL names it, go through the proxy. */
    boolean covers(String host) {
        return except.stream().noneMatch(pattern -> pattern.matches(host));
    }
}
