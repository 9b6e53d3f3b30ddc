package io.millrace.gateway.bench;

import com.sun.management.OperatingSystemMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * What the two HTTP stacks cost a GET of 4 KiB from memory: Reactor Netty with one raw handler, and Spring WebFlux with
 * a router function above the same Reactor Netty. One process, in turns, warm; the figures are the process's CPU time.
 * Needs wrk. Behind docs/decisions/0001-two-stacks.md.
 *
 * <p>{@code java -cp 'gateway/control/target/test-classes:gateway/app/target/lib/*'
 * io.millrace.gateway.bench.TwoStacks}
 */
final class TwoStacks {
    private static final int ROUNDS = 5;
    private static final byte[] BODY = new byte[4096];
    private static final Pattern REQUESTS = Pattern.compile("(\\d+) requests in");
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private TwoStacks() {}

    /** WebFlux as an application has it: a dispatcher that finds the router function. */
    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class Web {
        @Bean
        RouterFunction<ServerResponse> routes() {
            return RouterFunctions.route()
                    .GET("/{bucket}/{key}", request -> ServerResponse.ok().bodyValue(BODY))
                    .build();
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        DisposableServer raw = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) ->
                        response.header("content-length", "4096").sendObject(body()))
                .bindNow();
        DisposableServer spring = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(
                        WebHttpHandlerBuilder.applicationContext(new AnnotationConfigApplicationContext(Web.class))
                                .build()))
                .bindNow();
        measure(raw.port(), 15);
        measure(spring.port(), 15);
        double[] rawCost = new double[ROUNDS];
        double[] springCost = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            rawCost[i] = measure(raw.port(), 6);
            springCost[i] = measure(spring.port(), 6);
        }
        System.out.printf("Reactor Netty, raw handler:      %.1f us of CPU a GET%n", median(rawCost));
        System.out.printf("Spring WebFlux, router function: %.1f us of CPU a GET%n", median(springCost));
        System.out.printf("ratio: %.2f%n", median(springCost) / median(rawCost));
        raw.disposeNow();
        spring.disposeNow();
    }

    private static ByteBuf body() {
        return Unpooled.wrappedBuffer(BODY);
    }

    private static double measure(int port, int seconds) throws IOException, InterruptedException {
        long before = SYSTEM.getProcessCpuTime();
        Process wrk = new ProcessBuilder(
                        "wrk", "-t1", "-c16", "-d" + seconds + "s", "http://127.0.0.1:" + port + "/bucket/key")
                .redirectErrorStream(true)
                .start();
        String output = new String(wrk.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        wrk.waitFor();
        Matcher requests = REQUESTS.matcher(output);
        if (!requests.find() || output.contains("Non-2xx")) {
            throw new IOException("wrk failed:\n" + output);
        }
        return (SYSTEM.getProcessCpuTime() - before) / 1e3 / Long.parseLong(requests.group(1));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
