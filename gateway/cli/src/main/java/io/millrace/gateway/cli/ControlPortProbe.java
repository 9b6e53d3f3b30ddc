package io.millrace.gateway.cli;

import io.millrace.kit.ClientCertificate;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.HttpsURLConnection;

/**
 * Asks a control port for the pages that need no credentials. Like a kubelet it trusts any certificate: the request
 * holds nothing, and the certificate seldom names the address by which a machine reaches its own port.
 *
 * @param endpoint without a slash at its end
 * @param own what is presented to a port that asks for a certificate
 */
public record ControlPortProbe(URI endpoint, Optional<ClientCertificate> own) {
    private static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(5).toMillis();

    /**
     * Sends one GET request and returns the status of the response. A port that closes a plain connection without one
     * is asked by TLS: of {@code serve --self-signed} the settings do not say that it speaks it. Blocks for some
     * seconds at most.
     *
     * @param path of the page, as {@code /live}
     * @throws IOException if nobody responds
     */
    public int status(String path) throws IOException {
        try {
            return ask(URI.create(endpoint + path));
        } catch (SocketException e) {
            if (e instanceof ConnectException || !"http".equals(endpoint.getScheme())) {
                throw e;
            }
        }
        return ask(URI.create("https" + endpoint.toString().substring("http".length()) + path));
    }

    /** Returns the endpoint. */
    @Override
    public String toString() {
        return endpoint.toString();
    }

    private int ask(URI page) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) page.toURL().openConnection();
        if (connection instanceof HttpsURLConnection https) {
            https.setSSLSocketFactory(TlsSocketFactories.trustingAnybody(own));
            https.setHostnameVerifier((host, session) -> true);
        }
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }
}
