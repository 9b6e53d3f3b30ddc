package io.millrace.gateway.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.security.cert.X509Certificate;
import java.util.Locale;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** One TLS connection to a port of the loopback, which trusts any certificate: tests look at it themselves. */
public final class TlsClient implements AutoCloseable {
    private final SSLSocket socket;
    private final BufferedReader in;

    private static final X509TrustManager ANY = new X509TrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    };

    /**
     * @param protocols the protocols offered; all if empty
     * @param ciphers the ciphers offered; all if empty
     */
    public TlsClient(int port, @Nullable TestCertificate own, String[] protocols, String[] ciphers) throws Exception {
        socket = (SSLSocket) context(own).getSocketFactory().createSocket("127.0.0.1", port);
        socket.setSoTimeout(60_000);
        SSLParameters parameters = socket.getSSLParameters();
        if (protocols.length > 0) {
            parameters.setProtocols(protocols);
        }
        if (ciphers.length > 0) {
            parameters.setCipherSuites(ciphers);
        }
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
    }

    public TlsClient(int port) throws Exception {
        this(port, null, new String[0], new String[0]);
    }

    public static SSLContext context(@Nullable TestCertificate own) {
        try {
            KeyManagerFactory keys = own == null ? null : own.bundle().toKeyManagerFactory();
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys == null ? null : keys.getKeyManagers(), new TrustManager[] {ANY}, null);
            return context;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public X509Certificate serverCertificate() throws IOException {
        return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }

    public String protocol() {
        return socket.getSession().getProtocol();
    }

    /** Sends a GET and returns the status line of the response, whose body must be empty or announced. */
    public String get(String path) throws IOException {
        socket.getOutputStream()
                .write("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        .formatted(path)
                        .getBytes(ISO_8859_1));
        String status = in.readLine();
        int length = 0;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(
                        line.substring("content-length:".length()).strip());
            }
        }
        for (int read = 0; read < length; read++) {
            in.read();
        }
        return String.valueOf(status);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
