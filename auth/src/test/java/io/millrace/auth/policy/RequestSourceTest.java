package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class RequestSourceTest {
    @Test
    void addressesOfOneIpv6NetworkCountAsOne() throws UnknownHostException {
        long one = network("2001:db8:1:2::1");

        assertThat(network("2001:db8:1:2:ffff::9")).isEqualTo(one);
        assertThat(network("2001:db8:1:3::1")).isNotEqualTo(one);
    }

    @Test
    void eachIpv4AddressCountsAsOneOfItsOwn() throws UnknownHostException {
        assertThat(network("192.0.2.1")).isEqualTo(network("192.0.2.1")).isNotEqualTo(network("192.0.2.2"));
        assertThat(network("192.0.2.1")).isNotEqualTo(network("::c000:201"));
        assertThat(RequestSource.INTERNAL.network()).isZero();
    }

    private static long network(String address) throws UnknownHostException {
        return new RequestSource(InetAddress.getByName(address), false).network();
    }
}
