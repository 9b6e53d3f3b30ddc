package io.millrace.gateway.app.doctor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Checks whether a port is free, or whose it is. */
final class PortCheck {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private PortCheck() {}

    /**
     * Checks a port. Blocks for two seconds at most.
     *
     * @param section the section of the settings
     * @param health the health page of the control port, which tells whether a Millrace runs
     */
    static Diagnosis run(String section, String address, int port, URI health) {
        String subject = section + ".port";
        if (port == 0) {
            return Diagnosis.ok(subject, "0: the system chooses a free one");
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, port));
            return Diagnosis.ok(subject, "%s:%d is free".formatted(address, port));
        } catch (IOException e) {
            return isMillrace(health)
                    ? Diagnosis.ok(subject, "%s:%d is the running Millrace's".formatted(address, port))
                    : Diagnosis.problem(
                            subject,
                            "%s:%d cannot be listened on (%s), and no Millrace answers at %s"
                                    .formatted(address, port, e.getMessage(), health),
                            "stop the program that has the port, or write another one");
        }
    }

    private static boolean isMillrace(URI health) {
        HttpClient client = HttpClient.newBuilder()
                .connectTimeout(TIMEOUT)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        try {
            return client.send(
                                    HttpRequest.newBuilder(health)
                                            .timeout(TIMEOUT)
                                            .build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
