"""Pairs of graphs: are they the same?"""
