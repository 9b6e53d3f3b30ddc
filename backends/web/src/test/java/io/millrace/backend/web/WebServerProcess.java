package io.millrace.backend.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.ReservedPort;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A real web server of this machine that serves a folder. */
final class WebServerProcess implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Path APACHE_MODULES = Path.of("/usr/lib/apache2/modules");

    private final Path home;
    private final ReservedPort port;
    private final Process process;

    private WebServerProcess(Path home, ReservedPort port, List<String> command) throws IOException {
        this.home = home;
        this.port = port;
        Path log = home.resolve("log");
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Awaitility.await().atMost(SOON).until(() -> {
            assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
            return accepts();
        });
    }

    /** Returns whether a program is installed. */
    static boolean has(String program) {
        return find(program).isPresent();
    }

    static boolean hasApache() {
        return has("apache2") && Files.isDirectory(APACHE_MODULES);
    }

    /**
     * Starts nginx.
     *
     * @param indexFormat of its index pages: html or json
     */
    static WebServerProcess nginx(String indexFormat) throws IOException {
        Path home = home();
        ReservedPort port = new ReservedPort();
        String temporary = Stream.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
                .map(kind -> "  %s_temp_path %s;%n".formatted(kind, home.resolve("temp-" + kind)))
                .reduce("", String::concat);
        Path settings = Files.writeString(
                home.resolve("nginx.conf"), """
                daemon off;
                master_process off;
                pid %1$s/pid;
                error_log %1$s/error.log;
                events { worker_connections 256; }
                http {
                  access_log off;
                %2$s
                  server {
                    listen 127.0.0.1:%3$d;
                    root %1$s/files;
                    autoindex on;
                    autoindex_format %4$s;
                    location /gone/ { return 410; }
                  }
                }
                """.formatted(home, temporary, port.number(), indexFormat));
        return new WebServerProcess(
                home, port, List.of(program("nginx"), "-p", home.toString(), "-c", settings.toString()));
    }

    /** Starts Apache with its index of folders. */
    static WebServerProcess apache() throws IOException {
        Path home = home();
        ReservedPort port = new ReservedPort();
        String modules = Stream.of("mpm_event", "authz_core", "autoindex", "dir", "mime")
                .map(name -> "LoadModule %s_module %s/mod_%s.so%n".formatted(name, APACHE_MODULES, name))
                .reduce("", String::concat);
        Path types = Files.writeString(home.resolve("mime.types"), "text/html html\n");
        Path settings =
                Files.writeString(home.resolve("apache.conf"), """
                ServerRoot %1$s
                ServerName localhost
                Listen 127.0.0.1:%2$d
                PidFile %1$s/pid
                ErrorLog %1$s/error.log
                DefaultRuntimeDir %1$s
                %3$s
                TypesConfig %4$s
                ThreadLimit 256
                ThreadsPerChild 256
                StartServers 1
                MaxRequestWorkers 256
                KeepAliveTimeout 60
                DocumentRoot %1$s/files
                <Directory %1$s/files>
                  Require all granted
                  Options Indexes
                  IndexOptions FancyIndexing NameWidth=* Charset=UTF-8
                </Directory>
                """.formatted(home, port.number(), modules, types));
        return new WebServerProcess(home, port, List.of(program("apache2"), "-DFOREGROUND", "-f", settings.toString()));
    }

    /** Starts Python's http.server. */
    static WebServerProcess python() throws IOException {
        Path home = home();
        ReservedPort port = new ReservedPort();
        return new WebServerProcess(
                home,
                port,
                List.of(
                        program("python3"),
                        "-m",
                        "http.server",
                        String.valueOf(port.number()),
                        "--bind",
                        "127.0.0.1",
                        "--directory",
                        home.resolve("files").toString()));
    }

    /** Returns the folder that the server serves. */
    Path files() {
        return home.resolve("files");
    }

    String url() {
        return "http://127.0.0.1:%d/".formatted(port.number());
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        port.close();
        delete(home);
    }

    static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted((a, b) -> b.compareTo(a)).forEach(path -> {
                try {
                    Files.delete(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** A folder that the server may read whatever user it runs as. */
    private static Path home() throws IOException {
        Path home = Files.createTempDirectory("millrace-web");
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectory(home.resolve("files"));
        return home;
    }

    private boolean accepts() {
        try (Socket connected = new Socket(InetAddress.getLoopbackAddress(), port.number())) {
            return connected.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static String program(String name) {
        return find(name).orElseThrow();
    }

    private static Optional<String> find(String name) {
        return Stream.concat(Stream.of(System.getenv("PATH").split(File.pathSeparator, -1)), Stream.of("/usr/sbin"))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }
}
