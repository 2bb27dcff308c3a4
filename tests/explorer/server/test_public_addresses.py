"""Which addresses are on the public internet."""

import pytest

from explorer.visitors import is_public_address

PRIVATE = """
127.0.0.1 10.1.2.3 172.31.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 192.0.0.170 192.0.2.1
192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
240.0.0.1 255.255.255.255 168.63.129.16
:: ::1 ::127.0.0.1 ::10.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:168.63.129.16
::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 ::fffe:127.0.0.1
64:ff9b::127.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::7f00:1 64:ff9b:1:fffe::10.0.0.1
100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:20::1 2001:30::1
2001:db8::1 2002:7f00:1:: 2002:808:808::1 2620:4f:8000::1 3fff::1 3fff:fff::1 5f00::1
fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 feff::1 ff02::1
4000::1 8000::1 1::1 200::1
2606:4700::5efe:127.0.0.1 2606:4700::200:5efe:10.0.0.1 2606:4700:1:2:0:5efe:7f00:1
fe80::5efe:10.0.0.1 2a00:1:2:3:200:5efe:c0a8:101
localhost 1 127.1 0x7f000001 017700000001
"""
PUBLIC = """
8.8.8.8 1.1.1.1 93.184.215.14 192.0.1.1 100.128.0.1 172.32.0.1 ::ffff:8.8.8.8 2606:4700::1111
2a00:1450:4001:831::200e 2001:4860:4860::8888 2003::1 2400:cb00::1 2606:4700:5efe::1
"""


@pytest.mark.parametrize("number", PRIVATE.split())
def test_these_are_not_public(number):
    assert not is_public_address(number)


@pytest.mark.parametrize("number", PUBLIC.split())
def test_these_are_public(number):
    assert is_public_address(number)
